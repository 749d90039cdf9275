declare module '*.md' {
  /** The file as HTML. */
  const html: string;
  export default html;
}
