-- Keyed hash of the network that started the session: the sessions of one network share an allowance of requests.
alter table launch add network text;

-- Ended sessions: their launch tokens are refused before they expire. Looked up together with the credential.
create table ended_session (
  id uuid primary key,                 -- of a launch, or of a token that an admin minted
  expires timestamptz not null         -- expiry of its last token
);
