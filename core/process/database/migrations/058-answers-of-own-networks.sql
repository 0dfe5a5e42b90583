-- The answer came from a network that LRS_OUTGOING_ALLOW names: its text is for operators only.
alter table webhook_delivery add column internal boolean not null default false;
