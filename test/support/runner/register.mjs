// Lets Node load the TypeScript of unit tests as it is: `NODE_OPTIONS="--import …/register.mjs"`.
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
