// Applies the migrations, waits for them, then applies an overlay, one app after another:
//   npm run deploy -- <overlay> [--secrets <file>] [--registry <prefix>] [--tag <tag>] [--back]
// <overlay> is a folder of k8s/overlays, or the path of a kustomization. KUBECTL names another kubectl.
import { deploy } from '../kubernetes/deploy.mjs';
import { parseDeployOptions } from '../kubernetes/deploy-options.mjs';
import { messageOf } from '../processes/error-facts.mjs';

try {
  await deploy(parseDeployOptions(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
