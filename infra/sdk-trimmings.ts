import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

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
