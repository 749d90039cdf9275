import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

/** A file of the SDK that the bundles replace. `contents` exports everything that bundles import from the file. */
interface Replacement {
  readonly file: RegExp;
  readonly contents: string;
}

/**
 * Replaces the SDK's loader of settings. In Lambda all settings come from the environment, and there are no
 * configuration files. The SDK would look for such files at every start, and build an error for each setting that it
 * does not find, before it takes the default.
 */
export const SETTINGS = `
export const loadConfig = ({ environmentVariableSelector, default: fallback }, options) => {
  let found;
  const find = async () => environmentVariableSelector(process.env, options) ?? (typeof fallback === 'function' ? fallback() : fallback);
  return () => (found ??= find());
};`;

const REPLACEMENTS: readonly Replacement[] = [
  { file: /node-config-provider[\\/]configLoader\.js$/, contents: SETTINGS },
  // A table in one region needs no address discovery. Only Timestream uses it, and it brings a cache along.
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
  // No client has a logger. The SDK would still filter every input and output for it.
  {
    file: /middleware-logger[\\/]loggerMiddleware\.js$/,
    contents: `
export const loggerMiddleware = () => (next) => next;
export const loggerMiddlewareOptions = {};
export const getLoggerPlugin = () => ({ applyToStack() {} });`,
  },
  // Bodies are texts and answers are streams of Node. A check whether a value is a web stream makes Node load the web
  // streams.
  {
    file: /util-stream[\\/]stream-type-check\.js$/,
    contents: 'export const isReadableStream = () => false;\nexport const isBlob = () => false;',
  },
  {
    file: /isStreamingPayload[\\/]isStreamingPayload\.js$/,
    contents: 'export const isStreamingPayload = () => false;',
  },
];

/** Removes parts of the SDK that functions never use, so that bundles load faster. */
export const sdkTrimmings: Plugin = {
  name: 'sdk-trimmings',
  setup({ onLoad }) {
    for (const { file, contents } of REPLACEMENTS) onLoad({ filter: file }, () => ({ contents, loader: 'js' }));
  },
};

const BUILTINS = new RegExp(`^(node:)?(${builtinModules.filter((name) => !/^(_|node:)/.test(name)).join('|')})$`);

/**
 * Imports Node's own modules without their ES facade. An import reads every name that a module exports, and reading
 * some names loads more code: `node:http` brings a WebSocket client with all that it needs. With this plugin, an import
 * reads only the names that it uses.
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
