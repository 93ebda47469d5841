// Collects the files of every image from the build: node docker/collect.mjs <folder>
import { collectImages } from '../scripts/images/collect-images.mjs';
import { root } from '../scripts/build/project.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name a folder: node docker/collect.mjs <folder>');
collectImages(root, folder);
