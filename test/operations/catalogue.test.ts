// The catalogue: complete, without clashes, and as decided for each operation.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { operations } from '../../lambda/operations/index.ts';
import { toolName } from '../../lambda/operations/operation.ts';
import type { Operation } from '../../lambda/operations/operation.ts';
import { problemCodes } from '../../lambda/operations/problem-kinds.ts';

/** Decisions: path, scope, answer and tool name. Public operations are not tools, but also have such a name. */
const decided = [
  ['GET /me', 'service:read', '200', 'get_me'],
  ['GET /status', 'public', '200', 'get_status'],
  ['GET /openapi.json', 'public', '200', 'get_openapi'],
  ['GET /changes', 'service:read', '200', 'list_changes'],
  ['GET /streams', 'service:read', '200', 'list_streams'],
  ['GET /streams/count', 'service:read', '200', 'count_streams'],
  ['POST /streams', 'service:write', '201 + Location', 'create_stream'],
  ['GET /streams/{id}', 'service:read', '200', 'get_stream'],
  ['PATCH /streams/{id}', 'service:write', '200', 'update_stream'],
  ['DELETE /streams/{id}', 'service:destructive', '204', 'delete_stream'],
  ['GET /streams/{id}/readiness', 'service:read', '200', 'get_stream_readiness'],
  ['POST /streams/{id}/start', 'service:write', '200', 'start_stream'],
  ['POST /streams/{id}/stop', 'service:write', '200', 'stop_stream'],
  ['POST /streams/{id}/retry', 'service:write', '200', 'retry_stream'],
  ['POST /streams/{id}/duplicate', 'service:write', '201 + Location', 'duplicate_stream'],
  ['POST /streams/{id}/schedule', 'service:write', '200', 'schedule_stream'],
  ['DELETE /streams/{id}/schedule', 'service:write', '200', 'cancel_stream_schedule'],
  ['POST /streams/{id}/schedule/skip', 'service:write', '200', 'skip_occurrence'],
  ['POST /streams/{id}/play-next', 'service:write', '202', 'play_next'],
  ['POST /streams/{id}/skip', 'service:write', '202', 'skip_item'],
  ['GET /schedule/occurrences', 'service:read', '200', 'list_occurrences'],
  ['GET /schedule/preview', 'service:read', '200', 'preview_recurrence'],
  ['GET /streams/{id}/stats', 'service:read', '200', 'get_stream_stats'],
  ['GET /streams/{id}/stats/history', 'service:read', '200', 'get_stream_stats_history'],
  ['POST /streams/{id}/preview', 'service:read', '200', 'create_stream_preview'],
  ['GET /streams/{id}/timeline', 'service:read', '200', 'get_stream_timeline'],
  ['GET /streams/{id}/proof', 'service:read', '200', 'get_stream_proof'],
  ['GET /streams/{id}/frame', 'service:read', '302', 'get_stream_frame'],
  ['POST /streams/{id}/look/preview', 'service:read', '200', 'preview_stream_look'],
  ['GET /streams/{id}/transitions', 'service:read', '200', 'list_stream_transitions'],
  ['POST /streams/{id}/guide-link', 'service:write', '201', 'create_guide_link'],
  ['GET /streams/{id}/guide-link', 'service:read', '200', 'get_guide_link'],
  ['PATCH /streams/{id}/guide-link', 'service:write', '200', 'update_guide_link'],
  ['DELETE /streams/{id}/guide-link', 'service:write', '204', 'delete_guide_link'],
  ['GET /guides/{token}/requests', 'public', '200', 'list_requestable_items'],
  ['POST /guides/{token}/requests', 'public', '202', 'request_item'],
  ['GET /streams/{id}/broadcasts', 'service:read', '200', 'list_stream_broadcasts'],
  ['GET /streams/{id}/outputs', 'service:read', '200', 'list_stream_outputs'],
  ['POST /streams/{id}/outputs', 'service:write', '201 + Location', 'create_stream_output'],
  ['GET /streams/{id}/outputs/{outputID}', 'service:read', '200', 'get_stream_output'],
  ['PATCH /streams/{id}/outputs/{outputID}', 'service:write', '200', 'update_stream_output'],
  ['DELETE /streams/{id}/outputs/{outputID}', 'service:write', '204', 'delete_stream_output'],
  ['GET /live-inputs', 'service:read', '200', 'list_live_inputs'],
  ['POST /live-inputs', 'service:write', '201 + Location', 'create_live_input'],
  ['GET /live-inputs/{id}', 'service:read', '200', 'get_live_input'],
  ['PATCH /live-inputs/{id}', 'service:write', '200', 'update_live_input'],
  ['POST /live-inputs/{id}/rotate-key', 'service:write', '200', 'rotate_live_input_key'],
  ['POST /live-inputs/{id}/rotate-passphrase', 'service:write', '200', 'rotate_live_input_passphrase'],
  ['DELETE /live-inputs/{id}/passphrase', 'service:write', '204', 'delete_live_input_passphrase'],
  ['DELETE /live-inputs/{id}', 'service:write', '204', 'delete_live_input'],
  ['GET /live-inputs/{id}/sessions', 'service:read', '200', 'list_live_sessions'],
  ['POST /streams/{id}/takeovers', 'service:write', '202', 'take_over_stream'],
  ['GET /streams/{id}/takeover', 'service:read', '200', 'get_stream_takeover'],
  ['POST /streams/{id}/hand-back', 'service:write', '202', 'hand_back_stream'],
  ['GET /uploads', 'service:read', '200', 'list_uploads'],
  ['GET /uploads/folders', 'service:read', '200', 'list_upload_folders'],
  ['POST /uploads', 'service:write', '201 + Location', 'create_upload'],
  ['POST /uploads/import', 'service:write', '202 + Location', 'import_upload'],
  ['POST /uploads/batch', 'service:write', '200', 'apply_upload_operations'],
  ['GET /uploads/{id}', 'service:read', '200', 'get_upload'],
  ['PATCH /uploads/{id}', 'service:write', '200', 'update_upload'],
  ['POST /uploads/{id}/clips', 'service:write', '201 + Location', 'create_clip'],
  ['POST /uploads/{id}/upload-url', 'service:write', '200', 'create_upload_url'],
  ['POST /uploads/{id}/part-urls', 'service:write', '200', 'create_upload_part_urls'],
  ['GET /uploads/{id}/parts', 'service:read', '200', 'list_upload_parts'],
  ['POST /uploads/{id}/complete', 'service:write', '200', 'complete_upload'],
  ['POST /uploads/{id}/retry', 'service:write', '200', 'retry_upload'],
  ['POST /uploads/{id}/download-url', 'service:read', '200', 'create_download_url'],
  ['DELETE /uploads/{id}', 'service:write', '204', 'delete_upload'],
  ['GET /sources', 'service:read', '200', 'list_sources'],
  ['POST /sources', 'service:write', '201 + Location', 'create_source'],
  ['GET /sources/{id}', 'service:read', '200', 'get_source'],
  ['PATCH /sources/{id}', 'service:write', '200', 'update_source'],
  ['POST /sources/{id}/scan', 'service:write', '202', 'scan_source'],
  ['DELETE /sources/{id}', 'service:write', '204', 'delete_source'],
  ['GET /playlists', 'service:read', '200', 'list_playlists'],
  ['POST /playlists', 'service:write', '201 + Location', 'create_playlist'],
  ['GET /playlists/{id}', 'service:read', '200', 'get_playlist'],
  ['PATCH /playlists/{id}', 'service:write', '200', 'update_playlist'],
  ['POST /playlists/{id}/operations', 'service:write', '200', 'apply_playlist_operations'],
  ['POST /playlists/{id}/copy', 'service:write', '200', 'copy_playlist'],
  ['POST /playlists/{id}/publish', 'service:write', '202', 'publish_playlist'],
  ['POST /playlists/{id}/discard-draft', 'service:write', '200', 'discard_playlist_draft'],
  ['DELETE /playlists/{id}', 'service:write', '204', 'delete_playlist'],
  ['GET /collections', 'service:read', '200', 'list_collections'],
  ['POST /collections', 'service:write', '201 + Location', 'create_collection'],
  ['GET /collections/{id}', 'service:read', '200', 'get_collection'],
  ['PATCH /collections/{id}', 'service:write', '200', 'update_collection'],
  ['GET /collections/{id}/uploads', 'service:read', '200', 'list_collection_uploads'],
  ['DELETE /collections/{id}', 'service:write', '204', 'delete_collection'],
  ['GET /programmes', 'service:read', '200', 'list_programmes'],
  ['POST /programmes', 'service:write', '201 + Location', 'create_programme'],
  ['GET /programmes/{id}', 'service:read', '200', 'get_programme'],
  ['PATCH /programmes/{id}', 'service:write', '200', 'update_programme'],
  ['GET /programmes/{id}/simulation', 'service:read', '200', 'simulate_programme'],
  ['GET /programmes/{id}/comparison', 'service:read', '200', 'compare_programme'],
  ['POST /programmes/{id}/publish', 'service:write', '202', 'publish_programme'],
  ['GET /programmes/{id}/versions', 'service:read', '200', 'list_programme_versions'],
  ['POST /programmes/{id}/revert', 'service:write', '200', 'revert_programme'],
  ['POST /programmes/{id}/queue', 'service:write', '202', 'queue_item'],
  ['GET /programmes/{id}/queue', 'service:read', '200', 'list_queued_items'],
  ['DELETE /programmes/{id}/queue/{queuedItemID}', 'service:write', '204', 'remove_queued_item'],
  ['DELETE /programmes/{id}', 'service:write', '204', 'delete_programme'],
  ['GET /destinations', 'service:read', '200', 'list_destinations'],
  ['POST /destinations', 'service:write', '201 + Location', 'create_destination'],
  ['GET /destinations/{id}', 'service:read', '200', 'get_destination'],
  ['PATCH /destinations/{id}', 'service:write', '200', 'update_destination'],
  ['DELETE /destinations/{id}', 'service:destructive', '204', 'delete_destination'],
  ['POST /destinations/{id}/restore', 'service:write', '200', 'restore_destination'],
  ['POST /destinations/{id}/check', 'service:write', '202', 'check_destination'],
  ['GET /connections', 'service:read', '200', 'list_connections'],
  ['POST /connections', 'service:write', '201 + Location', 'create_connection'],
  ['GET /connections/{id}', 'service:read', '200', 'get_connection'],
  ['POST /connections/{id}/reauthorise', 'service:write', '200', 'reauthorise_connection'],
  ['DELETE /connections/{id}', 'service:destructive', '204', 'delete_connection'],
  ['GET /managed-settings', 'service:read', '200', 'list_managed_settings'],
  ['POST /managed-settings', 'service:write', '201 + Location', 'create_managed_settings'],
  ['GET /managed-settings/{id}', 'service:read', '200', 'get_managed_settings'],
  ['PATCH /managed-settings/{id}', 'service:write', '200', 'update_managed_settings'],
  ['DELETE /managed-settings/{id}', 'service:write', '204', 'delete_managed_settings'],
  ['GET /billing/overview', 'service:read or service:billing', '200', 'get_billing_overview'],
  ['GET /prices', 'public', '200', 'list_prices'],
  ['GET /billing/invoices', 'service:billing', '200', 'list_invoices'],
  ['GET /billing/usage', 'service:billing', '200', 'get_usage_analytics'],
  ['GET /billing/usage/streams', 'service:billing', '200', 'list_stream_usage'],
  ['POST /billing/top-ups', 'service:billing', '201', 'create_top_up'],
  ['GET /crypto/currencies', 'service:read', '200', 'list_crypto_currencies'],
  ['GET /crypto/currencies/{id}/deposit-address', 'service:billing', '200', 'get_crypto_deposit_address'],
  ['GET /crypto/deposits', 'service:billing', '200', 'list_crypto_deposits'],
  ['GET /webhooks', 'service:read', '200', 'list_webhooks'],
  ['POST /webhooks', 'service:write', '201 + Location', 'create_webhook'],
  ['GET /webhooks/{id}', 'service:read', '200', 'get_webhook'],
  ['PATCH /webhooks/{id}', 'service:write', '200', 'update_webhook'],
  ['DELETE /webhooks/{id}', 'service:write', '204', 'delete_webhook'],
  ['POST /webhooks/{id}/test', 'service:write', '202', 'test_webhook'],
  ['POST /webhooks/{id}/rotate-secret', 'service:write', '200', 'rotate_webhook_secret'],
  ['GET /webhooks/{id}/deliveries', 'service:read', '200', 'list_webhook_deliveries'],
  ['POST /webhooks/{id}/deliveries/{deliveryID}/redeliver', 'service:write', '202', 'redeliver_webhook'],
  ['GET /alert-channels', 'service:read', '200', 'list_alert_channels'],
  ['POST /alert-channels', 'service:write', '201 + Location', 'create_alert_channel'],
  ['GET /alert-channels/{id}', 'service:read', '200', 'get_alert_channel'],
  ['PATCH /alert-channels/{id}', 'service:write', '200', 'update_alert_channel'],
  ['DELETE /alert-channels/{id}', 'service:write', '204', 'delete_alert_channel'],
  ['POST /alert-channels/{id}/test', 'service:write', '202', 'test_alert_channel'],
  ['GET /incidents', 'service:read', '200', 'list_incidents'],
  ['GET /incidents/{id}', 'service:read', '200', 'get_incident'],
  ['GET /notifications', 'service:read', '200', 'list_notifications'],
  ['POST /notifications/read', 'service:write', '200', 'mark_notifications_read'],
] as const;

const each = operations.map((operation) => [toolName(operation), operation] as const);

function rowOf(operation: Operation): readonly string[] {
  const { method, path, scopes, output } = operation;
  return [
    `${method} ${path}`,
    [scopes].flat().join(' or '),
    `${output.status}${output.location ? ' + Location' : ''}`,
    toolName(operation),
  ];
}

function repeated(values: readonly string[]): string[] {
  return values.filter((value, place) => values.indexOf(value) !== place);
}

describe('the catalogue', () => {
  test('is what was decided', () => {
    expect(operations.map(rowOf)).toEqual(decided);
  });

  test('lists every operation that is declared', async () => {
    const folder = `${import.meta.dirname}/../../lambda/operations`;
    const declaring = globSync('*/*.ts', { cwd: folder }).filter((file) =>
      /\b(operation|publicOperation|guestOperation)\(/.test(readFileSync(`${folder}/${file}`, 'utf8')),
    );
    for (const file of declaring) {
      const exported = Object.values((await import(/* @vite-ignore */ `${folder}/${file}`)) as Record<string, unknown>);
      expect(
        exported.some((value) => operations.some(({ handle }) => handle === (value as Operation).handle)),
        `${file} is not listed in index.ts`,
      ).toBe(true);
    }
    expect(declaring).toHaveLength(operations.length);
  });

  test('has no id, tool name, or method and path twice', () => {
    expect(repeated(operations.map(({ id }) => id))).toEqual([]);
    expect(repeated(operations.map(toolName))).toEqual([]);
    expect(repeated(operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`))).toEqual(
      [],
    );
  });
});

describe.for(each)('%s', ([, operation]) => {
  test('has in its path the parameters that it declares', () => {
    const named = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(operation.params.shape)).toEqual(named);
  });

  test('ends in problems that are registered, each named once', () => {
    expect(operation.errors.filter((code) => !Object.hasOwn(problemCodes, code))).toEqual([]);
    expect(repeated(operation.errors)).toEqual([]);
    // A currency has no owner: its id is a parameter, and an unknown one is a wrong value.
    if (operation.path.includes('{'))
      expect(operation.errors).toContain(operation.tag === 'crypto' ? 'unknown_currency' : 'not_found');
  });

  test('has an answer, a body and a location that fit its method and status', () => {
    const { method, body, output } = operation;
    expect(output.body === undefined).toBe(output.status === 204);
    // Every operation that creates a resource returns its location, even before it is finished. A top-up is no
    // resource: its invoice is. A link is in its answer only.
    const isNone = operation.id === 'createTopUp' || operation.id === 'createGuideLink';
    const makes = (output.status === 201 && !isNone) || operation.id.startsWith('import');
    expect(output.location !== undefined).toBe(makes);
    if (method === 'GET' || method === 'DELETE') expect(body).toBeUndefined();
    const isLike = operation.id === 'duplicateStream' || operation.id === 'createClip';
    const isPart = operation.path.includes('{id}') && !isLike;
    const under = isPart ? operation.path.replace('{id}', 'parent') : `/${operation.tag}`;
    if (output.location) expect(output.location({ id: 'made', streamID: 'parent' })).toBe(`${under}/made`);
  });

  test('has an id, a summary, a description and a path in the form of all', () => {
    expect(operation.id).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
    if (operation.description !== undefined) expect(operation.description).toMatch(/^[A-Z].*\.$/);
    if (operation.tag !== 'account' && operation.tag !== 'service')
      expect(`${operation.path}/`).toMatch(new RegExp(`^/${operation.tag}/`));
  });
});
