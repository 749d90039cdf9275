import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

export default defineConfig({
  input: { path: process.env.DOCUMENT },
  output: { path: './api', format: false, extension: { '.ts': '.js' } },
  plugins: [pluginOas({ generators: [] }), pluginTs(), pluginClient({ importPath: '../../call.js' })],
});
