// Is installed in the place of ethers, a peer of siwe that takes 22 MB and 17 MB of memory. siwe requires ethers when it is loaded, calls
// ethers only to verify signatures, and is used here only to parse: libs/chain/src/sign-in verifies signatures itself.
function refuse() {
  throw new Error('ethers is not installed: siwe parses messages here, and verifies no signatures.');
}

exports.ethers = { verifyMessage: refuse, hashMessage: refuse, getAddress: refuse };
exports.Contract = refuse;
