import { parentPort } from 'node:worker_threads';
import { type ExtractionRequest, extractFile } from './extract-file.js';

/** The entry of the worker thread: says that it is loaded, then sends one answer for each request, in order. */
const port = parentPort;
// The exporter reports an error below the root to its reader, and rejects a promise that nothing awaits, too.
process.on('unhandledRejection', () => undefined);
port?.on('message', (request: ExtractionRequest) => {
  void extractFile(request).then((extracted) => {
    port.postMessage(extracted);
  });
});
port?.postMessage('ready');
