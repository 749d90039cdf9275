import type { CfnResource } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Throws an Error if the resource is of another class. */
export function resourceOf<Resource extends CfnResource>(
  construct: IConstruct,
  type: new (...args: never[]) => Resource,
): Resource {
  const { defaultChild } = construct.node;
  if (defaultChild instanceof type) return defaultChild;
  throw new Error(`the resource of ${construct.node.path} is no ${type.name}`);
}
