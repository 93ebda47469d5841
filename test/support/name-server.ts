import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const A = 1;
const AAAA = 28;
const FROM_HEADER = 12;

/** What a name server says of a host each time it is asked; undefined for silence. */
export type Zone = (host: string) => readonly string[] | undefined;

export interface NameServer {
  /** `address:port` */
  readonly address: string;
  /** Hosts that were asked for, in order, once per question. */
  readonly asked: string[];
  readonly stop: () => Promise<void>;
}

/** A real name server (RFC 1035) on loopback that gives IPv4 addresses as it is told, and has no others. */
export async function nameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, { port, address }) => {
    const { host, type, end } = readQuestion(query);
    if (type !== A && type !== AAAA) return;
    if (type === A) asked.push(host);
    const addresses = type === A ? zone(host) : [];
    if (addresses) socket.send(answer(query.subarray(0, end), addresses), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    stop: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function readQuestion(query: Buffer): { host: string; type: number; end: number } {
  const labels: string[] = [];
  let at = FROM_HEADER;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { host: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answer(question: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    // A pointer to the name in the question, type A, class IN, no time to live, four bytes.
    Buffer.from([0xc0, FROM_HEADER, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, ...records]);
}
