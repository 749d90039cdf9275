// Ends an npm script with a clear sentence if this Node is too old. The file is plain JavaScript, which an old Node can
// read.

const NEEDED = 24;
const { node } = process.versions;
const script = String(process.env.npm_lifecycle_event).replace(/^pre/, '');

if (Number(node.split('.')[0]) < NEEDED) {
  console.error(
    `npm run ${script}: Node ${NEEDED} or newer is needed, this is ${node}. On Linux, npm ci brings it; elsewhere, install it.`,
  );
  process.exit(1);
}
