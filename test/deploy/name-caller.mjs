// Loaded before the code of a function that the emulator starts: gives the function its own address of AWS.

const {
  AWS_LAMBDA_FUNCTION_NAME: name,
  CALL_RECORDER_URL: recorder,
  GATEWAY_PORT: port,
  QUEUE_URLS: queues,
} = process.env;
if (name && recorder) {
  process.env.AWS_ENDPOINT_URL = await (await fetch(`${recorder}/${encodeURIComponent(name)}`)).text();
  // The client of SQS calls the host in a queue's URL.
  if (queues) process.env.QUEUE_URLS = queues.replaceAll(`http://127.0.0.1:${port}`, process.env.AWS_ENDPOINT_URL);
  // The driver sends this name to the database, and the stand-in for RDS Proxy records it with the token.
  process.env.PGAPPNAME = name;
}
