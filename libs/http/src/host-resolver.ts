import { Resolver } from 'node:dns/promises';
import { SafeHttpError } from './safe-http-error.js';

const ATTEMPT_TIMEOUT_MS = 1_500;
const MAX_ATTEMPTS = 2;
/** Codes that say: there is no such record. Whatever else goes wrong says nothing. */
const NO_RECORD_CODES = new Set(['ENODATA', 'ENOTFOUND', 'ENONAME']);

/**
 * Asks name servers, never the hosts file: the names come from outside. It waits on sockets and not, as `dns.lookup`
 * does, on the few threads that all names, files and ciphers of a process share: a slow name server delays nobody else.
 */
export class HostResolver {
  private readonly resolver = new Resolver({ timeout: ATTEMPT_TIMEOUT_MS, tries: MAX_ATTEMPTS });

  /** @param servers instead of the machine's own: `address` or `address:port` */
  constructor(servers?: readonly string[]) {
    if (servers) this.resolver.setServers(servers);
  }

  /**
   * All addresses of a host, IPv4 first. `localhost` is 127.0.0.1 without a question (RFC 6761 section 6.3).
   * @throws FetchFailure `dns`
   */
  async resolve(host: string): Promise<string[]> {
    if (host === 'localhost') return ['127.0.0.1'];
    const answers = await Promise.allSettled([this.resolver.resolve4(host), this.resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const reasons = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason as unknown] : [],
    );
    const isMissing = reasons.every((reason) =>
      NO_RECORD_CODES.has((reason as { code?: string }).code ?? ''),
    );
    const message = isMissing ? 'the host has no address' : 'the host could not be looked up';
    throw new SafeHttpError('dns', message, { cause: reasons[0] });
  }
}
