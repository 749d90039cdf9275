import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Stands in for the SDK's chain of credential sources in the functions' bundles: Lambda gives a function its
 * credentials by environment, and the other sources (files, SSO, instance metadata) are a fifth of a bundle.
 */
export const defaultProvider = (): ReturnType<typeof fromEnv> => fromEnv();
