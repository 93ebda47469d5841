// The plain way: Express and web3.js, two requests to the node for each check.
import { Connection, PublicKey } from '@solana/web3.js';
import express from 'express';

const connection = new Connection(process.env.NODE_URL ?? '', 'confirmed');
const DECIMALS_OFFSET = 44;
const AMOUNT_OFFSET = 64;

const app = express();
app.use(express.json());
app.post('/access-control/check-roles', async (request, response) => {
  const { account, rules } =
    /** @type {{ account: string, rules: { contractAddress: string, minToken: string, roleId: string }[] }} */ (
      request.body
    );
  const roles = await Promise.all(
    rules.map(async ({ contractAddress, minToken, roleId }) => {
      const mint = new PublicKey(contractAddress);
      const [{ value }, info] = await Promise.all([
        connection.getTokenAccountsByOwner(new PublicKey(account), { mint }),
        connection.getAccountInfo(mint),
      ]);
      const held = value.reduce(
        (sum, { account: { data } }) => sum + data.readBigUInt64LE(AMOUNT_OFFSET),
        0n,
      );
      const wanted = BigInt(minToken) * 10n ** BigInt(info?.data[DECIMALS_OFFSET] ?? 0);
      return { id: roleId, granted: held >= wanted };
    }),
  );
  response.json({ roles });
});
app.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
