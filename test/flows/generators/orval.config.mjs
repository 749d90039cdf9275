export default {
  credito: {
    input: process.env.DOCUMENT,
    output: {
      target: 'api.ts',
      client: 'fetch',
      override: { mutator: { path: './call.ts', name: 'call', extension: '.js' } },
    },
  },
};
