// What anybody would write: Express that parses JSON and answers JSON, or what one query finds.
import express from 'express';
import pg from 'pg';

const app = express();
app.use(express.json());
app.post('/access-control/check-roles', (request, response) => {
  const { rules } = /** @type {{ rules: { roleId: string }[] }} */ (request.body);
  response.json({ roles: rules.map(({ roleId }) => ({ id: roleId, granted: true })) });
});
if (process.env.DATABASE_URL) {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
  app.get('/smart-accounts/:platform/:id', async (request, response) => {
    const { platform, id } = request.params;
    const { rows } = await pool.query(
      'SELECT * FROM account_kit.smart_accounts WHERE platform = $1 AND platform_user_id = $2',
      [platform, id],
    );
    response.json(rows[0]);
  });
  app.get('/ready/:table/:communityId', async (request, response) => {
    const { table, communityId } = request.params;
    // The route serves only the bench, which asks for the tables that it made.
    const { rows } = await pool.query(`SELECT * FROM bench.${table} WHERE community_id = $1 ORDER BY date`, [
      communityId,
    ]);
    for (const row of /** @type {Record<string, unknown>[]} */ (rows)) delete row.community_id;
    response.json(rows);
  });
}
app.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
