// HEALTHCHECK of an app's image: exits 0 when /health/live, or /health/ready with the argument `ready`, answers 200.
import { get } from 'node:http';

const TIMEOUT_MS = 4_000;
const [check = 'live'] = process.argv.slice(2);

const request = get(
  {
    // The name `localhost` needs a file of the machine or a name server.
    host: '127.0.0.1',
    port: process.env.MANAGEMENT_PORT,
    path: `/health/${check}`,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  },
  (response) => {
    process.exit(response.statusCode === 200 ? 0 : 1);
  },
);
request.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
