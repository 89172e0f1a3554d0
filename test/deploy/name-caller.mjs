// Loaded before the code of a function that the emulator starts: gives it an address of AWS that is its own.

const {
  AWS_LAMBDA_FUNCTION_NAME: name,
  CALL_RECORDER_URL: recorder,
  GATEWAY_PORT: port,
  QUEUE_URLS: queues,
} = process.env;
if (name && recorder) {
  process.env.AWS_ENDPOINT_URL = await (await fetch(`${recorder}/${encodeURIComponent(name)}`)).text();
  // The client of SQS calls whoever the URL of a queue names.
  if (queues) process.env.QUEUE_URLS = queues.replaceAll(`http://127.0.0.1:${port}`, process.env.AWS_ENDPOINT_URL);
  // The driver tells the database this name, and the stand-in for RDS Proxy notes it with the token.
  process.env.PGAPPNAME = name;
}
