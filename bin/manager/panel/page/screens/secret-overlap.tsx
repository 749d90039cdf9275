import { Moment } from '../parts/basics.tsx';
import { secretTimeline } from '../secret-timeline.ts';

/** The overlap after a rotation as a line of time: both secrets sign until its end. */
export function Overlap({ until }: { readonly until: string | null }) {
  const timeline = secretTimeline(until, Date.now());
  if (!timeline) return <p>Um só segredo assina os eventos.</p>;
  const percent = Math.round(timeline.passed * 100);
  return (
    <div class="overlap">
      <p>Dois segredos assinam cada evento: o novo e, até o fim do prazo, o anterior.</p>
      <progress aria-label={`Prazo do segredo anterior: ${percent}% passou`} value={percent} max={100} />
      <ol>
        <li>
          <strong>Troca</strong>
          <Moment at={timeline.from} />
        </li>
        <li>
          <strong>Agora</strong>
          <span>os dois valem</span>
        </li>
        <li>
          <strong>Só o novo</strong>
          <Moment at={timeline.until} far />
        </li>
      </ol>
    </div>
  );
}
