// An entry of its own: it loads viem, which apps without configured ABIs do not need.
export * from './address-function-read.js';
