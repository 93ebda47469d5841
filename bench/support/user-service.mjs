// The fair reference of an app that reads one row: Express, tuned, with a prepared query.
import express from 'express';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const app = express();
app.disable('x-powered-by');
app.set('etag', false);
app.get('/users/:id', async (request, response) => {
  const { rows } = await pool.query({
    name: 'user',
    text: 'SELECT * FROM identity.users WHERE id = $1',
    values: [request.params.id],
  });
  response.json(rows[0]);
});
app.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
