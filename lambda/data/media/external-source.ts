// SQL of the import of an upload, in the form of the API.

/** SQL expression for a row of `uploads`; null if the upload was not imported. */
export const externalSource = `(
  select jsonb_build_object(
    'url', url, 'state', state, 'bytesReceived', bytes_received, 'failure', imports.failure, 'sourceID', source_id,
    'removedAt', (
      select to_char(removed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from source_files f
      where f.upload_id = uploads.id))
  from imports where upload_id = uploads.id)`;
