/** Runs the local Solana cluster with the demo tokens on the port that PORT names, until it is ended. */
import { SolanaCluster } from './cluster.mjs';
import { createDemoTokens } from './create-demo-tokens.mjs';
import { createRpcServer } from './rpc-server.mjs';

const cluster = new SolanaCluster();
await createDemoTokens(cluster);
const server = createRpcServer(cluster).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  if (process.connected) process.disconnect();
});
