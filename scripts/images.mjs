// Builds the images, or the named ones. Each holds the list of its packages at /app/sbom.cdx.json:
//   npm run images -- [--tool docker] [--registry registry.example.com/team] [--tag <tag>] [gateway …]
// --tool is docker, podman or buildah. NODE_IMAGE names another base image.
import { runTool } from './local/tool.mjs';
import { root } from './local/project.mjs';
import { buildImages } from './images/build-images.mjs';
import { parseImageOptions } from './images/image-options.mjs';

process.exitCode = await runTool((children) =>
  buildImages(children, root, parseImageOptions(process.argv.slice(2), process.env)),
);
