-- Messages quoted what requests sent. The new ones have none of it; a new request of the same kind brings the message back.
update refusal_tally set
  message = '',
  path = case
    when reason = 'INVALID' and message like '%unknown parameter;%' or message like '%parameter names are case-sensitive%'
      then '…'
    when message like '%is no property of%' then regexp_replace(path, '(\.?\w+|\["(?:[^"\\]|\\.)*"\])$', '["…"]')
    else path end,
  request = case when request ~ '^[A-Z]+ /xapi/(statements|agents|activities|activities/(state|profile)|agents/profile|about)$'
    or request = '' then request else regexp_replace(request, ' .*', ' /…') end;
-- and keys from outside further up in a path
update refusal_tally set path = regexp_replace(path, '\["(?:[^"\\]|\\.)*"\]', '["…"]', 'g') where path like '%["%';
-- found by their age
create index refusal_tally_day on refusal_tally (day);
-- what receivers answered to the name of a learner who was erased
update webhook_delivery d set answer = '' from webhook_event e where e.id = d.event and e.type = 'learner.erased';
