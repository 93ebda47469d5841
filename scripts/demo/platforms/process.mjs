/** Runs the stand-in of the platforms on the port PORT, until it is ended. */
import { createPlatformsServer } from './server.mjs';

const server = createPlatformsServer().listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  if (process.connected) process.disconnect();
});
