// Collects the files of every image from the build: node docker/collect.mjs <folder>
import { collectImages } from '../scripts/images/collect-images.mjs';
import { root } from '../scripts/local/project.mjs';

collectImages(root, process.argv[2]);
