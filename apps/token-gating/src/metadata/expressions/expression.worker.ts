import { parentPort } from 'node:worker_threads';
import { evaluateDocument, type EvaluationRequest } from './evaluate-document.js';

/** The entry of the worker thread: says that it is loaded, then sends one answer for each request, in order. */
const port = parentPort;
port?.on('message', (request: EvaluationRequest) => {
  void evaluateDocument(request).then((evaluated) => {
    port.postMessage(evaluated);
  });
});
port?.postMessage('ready');
