import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

/** `contents` exports everything that bundles import from the file. */
interface Replacement {
  readonly file: RegExp;
  readonly contents: string;
}

/**
 * In Lambda all settings come from the environment. The SDK would look for files at every start, and build an error for
 * each missing setting before it takes the default.
 */
export const SETTINGS = `
export const loadConfig = ({ environmentVariableSelector, default: fallback }, options) => {
  let found;
  const find = async () => environmentVariableSelector(process.env, options) ?? (typeof fallback === 'function' ? fallback() : fallback);
  return () => (found ??= find());
};`;

const REPLACEMENTS: readonly Replacement[] = [
  { file: /node-config-provider[\\/]configLoader\.js$/, contents: SETTINGS },
  // Only Timestream needs the discovery of addresses, which loads a cache.
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
  // No client has a logger. The SDK would still filter every input and output for the logger.
  {
    file: /middleware-logger[\\/]loggerMiddleware\.js$/,
    contents: `
export const loggerMiddleware = () => (next) => next;
export const loggerMiddlewareOptions = {};
export const getLoggerPlugin = () => ({ applyToStack() {} });`,
  },
  // A check whether a value is a web stream makes Node load the web streams.
  {
    file: /util-stream[\\/]stream-type-check\.js$/,
    contents: 'export const isReadableStream = () => false;\nexport const isBlob = () => false;',
  },
  {
    file: /isStreamingPayload[\\/]isStreamingPayload\.js$/,
    contents: 'export const isStreamingPayload = () => false;',
  },
];

export const sdkTrimmings: Plugin = {
  name: 'sdk-trimmings',
  setup({ onLoad }) {
    for (const { file, contents } of REPLACEMENTS) onLoad({ filter: file }, () => ({ contents, loader: 'js' }));
  },
};

const BUILTINS = new RegExp(`^(node:)?(${builtinModules.filter((name) => !/^(_|node:)/.test(name)).join('|')})$`);

/**
 * An import of a built-in module reads every name, and some names load more code: `node:http` loads a WebSocket client.
 * With this plugin, an import reads only the names that it uses.
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
