// The fields of a body, an answer or an event. Nested fields open in place.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { wordsOfType } from '../../surfaces/openapi/described.ts';
import type { Document } from '../../surfaces/openapi/described.ts';
import type { Schema } from '../../surfaces/openapi/schemas.ts';
import { developersWords } from '#words/developers.ts';

interface SchemaProps {
  readonly schema: Schema;
  readonly document: Document;
}

/** An object as a table of its fields; any other type in one line. */
export function SchemaFields({ schema, document }: SchemaProps): ReactNode {
  const { properties, required = [], oneOf } = resolved(schema, document);
  if (oneOf)
    return (
      <>
        <p className="hint">{developersWords.oneOf}</p>
        {oneOf.map((option, index) => (
          <SchemaFields key={index} schema={option} document={document} />
        ))}
      </>
    );
  if (!properties) return <p className="hint">{typeWords(schema)}</p>;
  return (
    <Fields
      document={document}
      fields={Object.entries(properties).map(([name, field]) => ({
        name,
        schema: field,
        description: field.description ?? '',
        isRequired: required.includes(name),
      }))}
    />
  );
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly description: string;
  readonly isRequired: boolean;
}

interface FieldsProps {
  readonly document: Document;
  readonly fields: readonly Field[];
}

export function Fields({ document, fields }: FieldsProps): ReactNode {
  return (
    <dl className="fields">
      {fields.map(({ name, schema, description, isRequired }) => (
        <div key={name}>
          <dt>
            <code>{name}</code>{' '}
            <span className="hint">
              {typeWords(schema)}
              {!isRequired && ` · ${developersWords.optional}`}
              {schema.deprecated && ` · ${developersWords.deprecated}`}
            </span>
          </dt>
          <dd>
            {description}
            <Inner schema={schema} document={document} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Nested fields are rendered once the user opens them, because schemas can refer to themselves. */
function Inner({ schema, document }: SchemaProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const inner = innerOf(schema);
  if (!inner) return null;
  const { properties, oneOf } = resolved(inner, document);
  if (!properties && !oneOf) return null;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{nameOf(inner) ?? developersWords.fields}</summary>
      {isOpen && <SchemaFields schema={inner} document={document} />}
    </details>
  );
}

/** The schema that has nested fields: for a list that of its items, for options the first one with fields. */
function innerOf(schema: Schema): Schema | undefined {
  if (schema.items) return innerOf(schema.items);
  if (schema.anyOf) return schema.anyOf.map(innerOf).find((option) => option !== undefined);
  return schema.$ref || schema.properties || schema.oneOf ? schema : undefined;
}

const nameOf = ({ $ref }: Schema) => $ref?.split('/').at(-1);

function resolved(schema: Schema, document: Document): Schema {
  const name = nameOf(schema);
  return name === undefined ? schema : (document.components.schemas[name] ?? schema);
}

function typeWords(schema: Schema): string {
  const name = nameOf(schema);
  if (name !== undefined) return name;
  if (schema.anyOf) return schema.anyOf.map(typeWords).join(' or ');
  if (schema.items) return developersWords.listOf(typeWords(schema.items));
  return schema.properties ? developersWords.object : wordsOfType(schema);
}
