import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { EXIT_CODES } from '@app/database';
import { CommandLineError } from '../command-line.errors.js';

/** The path of the redirect URI that the client application of a tool registers, with any port (RFC 8252 section 7.3). */
const REDIRECT_PATH = '/callback';

const LOOPBACK_ADDRESS = '127.0.0.1';
/** A browser sends a few hundred bytes. */
const MAX_HEADER_BYTES = 16 * 1024;

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  connection: 'close',
};

const page = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`;

const FOREIGN = page('Not this sign-in', 'This answer belongs to no sign-in that waits here. Begin again.');
const USED = page('Used already', 'The answer was taken already. You can close this page.');
const FAILED = page(
  'You are not signed in',
  'The command in your terminal says why. You can close this page.',
);
const DONE = page('You are signed in', 'Go back to your terminal. You can close this page.');

export interface RedirectOptions {
  readonly state: string;
  /** RFC 9207: who an answer has to come from, where it says so. */
  readonly issuer: string;
  readonly timeoutMs: number;
  /** 0 for a free one. */
  readonly port: number;
}

const isEqual = (given: string | null, expected: string): boolean => {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/**
 * Waits on a port of this machine for the answer to one authorization request, and takes the first that has its `state`. Whatever else
 * arrives, from another page or another program of this machine, is refused and ends nothing.
 */
export class LoopbackRedirect {
  private readonly server: Server;
  private isAnswered = false;
  private resolveAnswer: (answer: URLSearchParams) => void = () => undefined;
  private readonly answer = new Promise<URLSearchParams>((resolve) => {
    this.resolveAnswer = resolve;
  });
  private finish: (page: string) => Promise<void> = () => Promise.resolve();

  private constructor(private readonly options: RedirectOptions) {
    this.server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
      this.handle(request, response);
    });
  }

  /** @throws CommandLineError where the port is taken */
  static async listen(options: RedirectOptions): Promise<LoopbackRedirect> {
    const redirect = new LoopbackRedirect(options);
    await new Promise<void>((resolve, reject) => {
      redirect.server.once('error', (error) => {
        reject(
          new CommandLineError(
            `Port ${String(options.port)} of 127.0.0.1 cannot be listened on: ${error.message}`,
            EXIT_CODES.failed,
            { cause: error },
          ),
        );
      });
      redirect.server.listen(options.port, LOOPBACK_ADDRESS, resolve);
    });
    return redirect;
  }

  get redirectUri(): string {
    const address = this.server.address();
    const port = typeof address === 'object' && address !== null ? address.port : this.options.port;
    return `http://${LOOPBACK_ADDRESS}:${String(port)}${REDIRECT_PATH}`;
  }

  /**
   * The page in the browser waits for the result of `exchange`, so that it says whether the user is signed in.
   * @throws CommandLineError after a refusal, and where nothing arrives in time
   */
  async run<T>(exchange: (code: string) => Promise<T>): Promise<T> {
    try {
      const result = await exchange(this.readCode(await this.waitForAnswer()));
      await this.finish(DONE);
      return result;
    } catch (error) {
      await this.finish(FAILED);
      throw error;
    } finally {
      this.server.close();
      // A browser may have opened a connection ahead of a request that never comes.
      this.server.closeAllConnections();
    }
  }

  private waitForAnswer(): Promise<URLSearchParams> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new CommandLineError('Nobody signed in in time. Run the command again.', EXIT_CODES.failed));
      }, this.options.timeoutMs);
      void this.answer.then((answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
    });
  }

  private readCode(answer: URLSearchParams): string {
    const issuer = answer.get('iss');
    if (issuer !== null && issuer !== this.options.issuer)
      throw new CommandLineError(
        `The answer comes from ${issuer}, which calls itself otherwise than --url: nobody is signed in.`,
        EXIT_CODES.failed,
      );
    const error = answer.get('error');
    if (error === 'access_denied')
      throw new CommandLineError('You refused the access: nobody is signed in.', EXIT_CODES.failed);
    const code = answer.get('code');
    if (code === null || error !== null)
      throw new CommandLineError(
        `The sign-in failed: ${answer.get('error_description') ?? error ?? 'the answer has no code'}`,
        EXIT_CODES.failed,
      );
    return code;
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const base = `http://${LOOPBACK_ADDRESS}`;
    const url = new URL(URL.canParse(request.url ?? '', base) ? (request.url ?? '') : '/', base);
    if (url.pathname !== REDIRECT_PATH || request.method !== 'GET') {
      send(response, 404, FOREIGN);
      return;
    }
    if (!isEqual(url.searchParams.get('state'), this.options.state)) {
      send(response, 400, FOREIGN);
      return;
    }
    if (this.isAnswered) {
      send(response, 409, USED);
      return;
    }
    this.isAnswered = true;
    this.finish = (text) =>
      new Promise((resolve) => {
        // A browser that went away gets no page.
        response.once('close', resolve);
        if (response.closed) resolve();
        send(response, text === DONE ? 200 : 400, text);
      });
    this.resolveAnswer(url.searchParams);
  }
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, PAGE_HEADERS).end(text);
}
