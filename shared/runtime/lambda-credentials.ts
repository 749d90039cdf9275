import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Replaces the AWS SDK's chain of credential sources in the bundles. Lambda sets environment variables; the other
 * sources (files, SSO, instance metadata) would be a fifth of a bundle.
 */
export const defaultProvider = (): ReturnType<typeof fromEnv> => fromEnv();
