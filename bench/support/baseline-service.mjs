// What anybody would write: Express that parses JSON and answers JSON.
import express from 'express';

const app = express();
app.use(express.json());
app.post('/access-control/check-roles', (request, response) => {
  response.json({ roles: request.body.rules.map(({ roleId }) => ({ id: roleId, granted: true })) });
});
app.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
