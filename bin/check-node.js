// Ends an npm script with a clear sentence if this Node is too old: without this check, the script would end with a
// SyntaxError. The file is plain JavaScript, which an old Node can read. package.json runs it before `npm start`,
// `npm test` and `npm run test:nightly`.

const NEEDED = 24;
const { node } = process.versions;
const script = String(process.env.npm_lifecycle_event).replace(/^pre/, '');

if (Number(node.split('.')[0]) < NEEDED) {
  console.error(
    `npm run ${script}: Node ${NEEDED} or newer is needed, this is ${node}. On Linux, npm ci brings it; elsewhere, install it.`,
  );
  process.exit(1);
}
