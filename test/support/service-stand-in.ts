// Stands in for ECS and Lambda, as far as deployments of a service of agents use them.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { readFirstCountEnvironment } from '../../lambda/jobs/environment.ts';
import { type FirstCount, startWithNone } from '../../lambda/jobs/first-count.ts';

const agents = readFirstCountEnvironment({ AGENTS_CLUSTER: 'cluster', AGENTS_FAMILY: 'devPublishingAgentsFfmpegTask' });

/**
 * A new service without a count has one task, and an
 * update without a count keeps the number.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ecs-service.html
 */
export class ServiceStandIn {
  /** Outcomes of the calls of the function. */
  readonly outcomes: Promise<FirstCount>[] = [];
  service: { desiredCount: number; createdAt: number } | null = null;
  #server: Server | null = null;

  /** @returns the address of both services */
  async start(): Promise<string> {
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const body = await text(request);
      const [, action] = /\.(\w+)$/.exec(request.headers['x-amz-target']?.toString() ?? '') ?? [];
      const isCall = request.url?.includes('/invocations');
      if (isCall) this.outcomes.push(startWithNone(agents, { region: 'us-east-1' }));
      response.writeHead(isCall ? 202 : 200).end(isCall ? '' : JSON.stringify(this.#answer(action, JSON.parse(body))));
    };
    this.#server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Creates or updates the service of the template, as CloudFormation does. */
  deploy({ DesiredCount: count }: { readonly DesiredCount?: number }): void {
    this.service ??= { desiredCount: count ?? 1, createdAt: Date.now() / 1000 };
    this.service.desiredCount = count ?? this.service.desiredCount;
  }

  stop(): void {
    this.#server?.close();
  }

  #answer(action: string | undefined, { desiredCount }: { readonly desiredCount?: number }): object {
    const serviceArn = 'arn:aws:ecs:us-east-1:111111111111:service/cluster/agents';
    const taskDefinition = `arn:aws:ecs:us-east-1:111111111111:task-definition/${agents.family}:7`;
    if (action === 'ListServices') return { serviceArns: this.service ? [serviceArn] : [] };
    if (action === 'DescribeServices') return { services: [{ serviceArn, taskDefinition, ...this.service }] };
    if (action === 'UpdateService' && desiredCount !== undefined) this.service!.desiredCount = desiredCount;
    return {};
  }
}
