import { once } from 'node:events';
import { connect } from 'node:net';

export interface RawAnswer {
  text: string;
  /** Status lines in the order they came: a smuggled second request would show as a second answer. */
  statuses: number[];
  closed: boolean;
}

/** Sends bytes as they are and collects what comes back until the server closes or `patienceMs` have passed. */
export async function rawHttp(url: string, bytes: string | Buffer, patienceMs = 20_000): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  let closed = false;
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => (closed = true));
  await once(socket, 'connect');
  socket.write(bytes);
  const timer = setTimeout(() => socket.destroy(), patienceMs);
  socket.on('end', () => (closed = true));
  await once(socket, 'close');
  clearTimeout(timer);
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return { text, statuses, closed };
}
