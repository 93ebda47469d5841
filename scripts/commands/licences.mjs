// Writes docs/licences.md from package-lock.json. A test compares both (test/start/lock-file.spec.ts).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { licencesPage } from '../docs/licences.mjs';
import { root } from '../build/project.mjs';

writeFileSync(join(root, 'docs/licences.md'), licencesPage(root));
