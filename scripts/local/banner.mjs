import { demoCurl } from './demo-check.mjs';

/** What somebody needs who has just started the suite. @param {import('./demo-client.mjs').Demo} demo */
export function banner(demo, { managementPort, logs }) {
  const { gatewayUrl } = demo;
  return `
Gatehouse is up.

  Gateway    ${gatewayUrl}
  Explorer   ${gatewayUrl}/explorer
  Document   ${gatewayUrl}/openapi.json
  Health     http://127.0.0.1:${managementPort}/health/ready
  Chain      ${demo.rpcUrl} (id ${demo.chainId})
  API key    ${demo.apiKey}
  Logs       ${logs}

Does the demo holder have one demo coin? This answers "granted":true

  ${demoCurl(demo)}

All of this for scripts: .local/demo.json. Ctrl-C ends everything.
`;
}
