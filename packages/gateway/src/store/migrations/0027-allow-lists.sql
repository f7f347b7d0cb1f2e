-- An empty allow-list allows nothing from here on, and "any" allows everything, as an empty one did.
update account set allowed_from = '"any"' where allowed_from = '[]';
update token set allowed_from = '"any"' where allowed_from = '[]';
update login set allowed_from = '"any"' where allowed_from = '[]';
update account set rules = json_set(rules, '$.senders', 'any') where json_array_length(rules, '$.senders') = 0;
update account set rules = json_set(rules, '$.allowCountries', 'any') where json_array_length(rules, '$.allowCountries') = 0;
