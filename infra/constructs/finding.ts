import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Returns an ARN as cdk-nag writes it: a reference is its name in angle brackets (`<Logs6819BB44.Arn>`). Throws an
 * Error if the ARN is built with another function of CloudFormation.
 */
export function arnInFinding(scope: IConstruct, arn: string): string {
  return written(Stack.of(scope).resolve(arn));
}

function written(resolved: unknown): string {
  if (typeof resolved === 'string') return resolved;
  if (typeof resolved === 'object' && resolved !== null) {
    if ('Ref' in resolved) return `<${resolved.Ref}>`;
    if ('Fn::GetAtt' in resolved && Array.isArray(resolved['Fn::GetAtt'])) {
      return `<${resolved['Fn::GetAtt'].join('.')}>`;
    }
    if ('Fn::Join' in resolved && Array.isArray(resolved['Fn::Join'])) {
      const [separator, parts] = resolved['Fn::Join'];
      return parts.map(written).join(separator);
    }
  }
  throw new Error(`${JSON.stringify(resolved)} is no ARN that a finding could name`);
}
