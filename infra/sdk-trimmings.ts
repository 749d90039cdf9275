import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

/** The endpoint's first word of each service that functions ask; all lie in AWS's standard partition. */
const SERVICES: Readonly<Record<string, string>> = {
  'client-dynamodb': 'dynamodb',
  'client-secrets-manager': 'secretsmanager',
  'client-sqs': 'sqs',
};

/**
 * Stands in for a client's endpoint rules in the functions' bundles: a decision diagram with every partition, for
 * addresses that no stage uses (FIPS, dual stack, by account). An address from the environment goes before, as there.
 */
export const staticEndpoint = (service: string): string => `
const known = new Map();
export const defaultEndpointResolver = ({ Endpoint, Region }) => {
  const address = Endpoint ?? 'https://${service}.' + Region + '.amazonaws.com';
  if (!known.has(address)) known.set(address, { url: new URL(address), properties: {}, headers: {} });
  return known.get(address);
};`;

/** A file of the SDK that the functions' bundles have in other words; it exports what bundles import of it. */
interface Replacement {
  readonly file: RegExp;
  readonly contents: string;
}

/**
 * Stands in for the loader of settings. Lambda sets them by environment and has no configuration files: the SDK would look
 * for those at every start, and make an error of each setting that it finds nowhere, before it takes the default.
 */
export const SETTINGS = `
export const loadConfig = ({ environmentVariableSelector, default: fallback }, options) => {
  let found;
  const find = async () => environmentVariableSelector(process.env, options) ?? (typeof fallback === 'function' ? fallback() : fallback);
  return () => (found ??= find());
};`;

const REPLACEMENTS: readonly Replacement[] = [
  { file: /node-config-provider[\\/]configLoader\.js$/, contents: SETTINGS },
  // Lambda names the region in the environment; a machine's metadata is asked only where it is missing.
  {
    file: /regionConfig[\\/]getInstanceMetadataRegion\.js$/,
    contents: 'export const getInstanceMetadataRegion = async () => undefined;',
  },
  // A table of one region needs no address of its own: discovery is for Timestream, and brings a cache with it.
  {
    file: /middleware-endpoint-discovery[\\/]dist-es[\\/]index\.js$/,
    contents: `
export const resolveEndpointDiscoveryConfig = (config) => config;
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: false,
};`,
  },
  // The partitions of AWS are for the rules of endpoints that `staticEndpoint` stands for.
  {
    file: /util-endpoints[\\/]lib[\\/]aws[\\/]partitions\.js$/,
    contents: 'export const partitionsInfo = { partitions: [] };',
  },
  // No client has a logger, and without one this still filters every input and output for it.
  {
    file: /middleware-logger[\\/]loggerMiddleware\.js$/,
    contents: `
export const loggerMiddleware = () => (next) => next;
export const loggerMiddlewareOptions = {};
export const getLoggerPlugin = () => ({ applyToStack() {} });`,
  },
  // Bodies are texts, answers streams of Node: to ask whether one is a stream of the web makes Node load those.
  {
    file: /util-stream[\\/]stream-type-check\.js$/,
    contents: 'export const isReadableStream = () => false;\nexport const isBlob = () => false;',
  },
  {
    file: /isStreamingPayload[\\/]isStreamingPayload\.js$/,
    contents: 'export const isStreamingPayload = () => false;',
  },
];

/** Leaves out of the SDK what functions never use: bundles load faster by what they do not hold. */
export const sdkTrimmings: Plugin = {
  name: 'sdk-trimmings',
  setup({ onLoad }) {
    // The clients read nothing but the version of their package.json, and would bring the whole of it.
    onLoad({ filter: /@aws-sdk[\\/][^\\/]+[\\/]package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
    onLoad({ filter: /@aws-sdk[\\/]client-[^\\/]+[\\/]dist-es[\\/]endpoint[\\/]endpointResolver\.js$/ }, ({ path }) => {
      const client = /(client-[^\\/]+)/.exec(path)![1]!;
      const service = SERVICES[client];
      if (!service) return undefined;
      return { contents: staticEndpoint(service), loader: 'js' };
    });
    for (const { file, contents } of REPLACEMENTS) onLoad({ filter: file }, () => ({ contents, loader: 'js' }));
  },
};

const BUILTINS = new RegExp(`^(node:)?(${builtinModules.filter((name) => !/^(_|node:)/.test(name)).join('|')})$`);

/**
 * Takes Node's own modules without their ES facade. To import one is to read every name that it exports, and some of
 * these are loaded by being read: `node:http` brings a WebSocket client and what that needs. Here an import reads the
 * names that it uses.
 */
export const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: BUILTINS }, ({ path, kind }) => ({
      path: path.replace(/^(node:)?/, 'node:'),
      namespace: kind === 'import-statement' ? 'imported' : 'required',
    }));
    const taken = (path: string) => `process.getBuiltinModule(${JSON.stringify(path)})`;
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({ contents: `module.exports = ${taken(path)};` }));
    onLoad({ filter: /./, namespace: 'imported' }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path)!).filter((name) => /^[a-z]\w*$/i.test(name));
      const exported = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => whole.${name})();`);
      return { contents: [`const whole = ${taken(path)};\nexport default whole;`, ...exported].join('\n') };
    });
  },
};
