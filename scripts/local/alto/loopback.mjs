// Loaded into alto before its own code, which would listen on all interfaces.
import { Server } from 'node:net';

const { listen } = Server.prototype;

Server.prototype.listen = function listenOnLoopback(options, ...rest) {
  if (typeof options?.port !== 'number') throw new Error('alto listens otherwise than it did');
  return listen.call(this, { ...options, host: '127.0.0.1' }, ...rest);
};
