import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Replaces the AWS SDK's chain of credential sources in the bundles of the functions. Lambda gives a function its
 * credentials in environment variables. The other sources (files, SSO, instance metadata) would be a fifth of a bundle.
 */
export const defaultProvider = (): ReturnType<typeof fromEnv> => fromEnv();
