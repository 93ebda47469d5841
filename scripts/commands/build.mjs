import { buildClient } from '../build/build-client.mjs';
import { build, compile } from '../build/build.mjs';
import { ensureLocal, root } from '../build/project.mjs';
import { runTool } from '../processes/tool.mjs';

process.exitCode = await runTool((children) => chooseBuild()(children, root));

function chooseBuild() {
  if (process.argv.includes('--client')) {
    // `npm run client:pack` puts the tarball there.
    ensureLocal();
    return buildClient;
  }
  // Making the OpenAPI document needs no bundles.
  return process.argv.includes('--no-bundles') ? compile : build;
}
