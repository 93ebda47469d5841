/** Runs the stand-in of OpenSea with a demo collection, of which HOLDER has three items, on the port PORT, until it is ended. */
import { createOpenSeaServer } from './server.mjs';
import { DEMO_API_KEY, DEMO_COLLECTION } from './start.mjs';

const CONTRACT = `0x${'5e'.repeat(20)}`;
const items = ['1', '2', '3'].map((identifier) => ({
  chain: 'ethereum',
  owner: process.env.HOLDER ?? '',
  contract: CONTRACT,
  identifier,
}));
const collections = {
  [DEMO_COLLECTION]: { contracts: [{ chain: 'ethereum', address: CONTRACT }], items },
};
const server = createOpenSeaServer({ apiKey: DEMO_API_KEY, collections });
server.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  if (process.connected) process.disconnect();
});
