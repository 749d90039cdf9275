/** The part of Express's types that the bench's application uses. The published types would install nine packages. */
declare module 'express' {
  interface Request {
    readonly params: Readonly<Record<string, string>>;
    get(header: string): string | undefined;
  }
  interface Response {
    json(body: unknown): void;
  }
  type Handler = (request: Request, response: Response) => Promise<void>;
  interface Application {
    (request: object, response: object): void;
    use(middleware: object): void;
    get(path: string, handler: Handler): void;
  }
  function express(): Application;
  namespace express {
    function json(): object;
  }
  export default express;
}
